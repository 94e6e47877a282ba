/** What surrounds every place: theme, queries, notifications, and the bar that reports a lost connection. */
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './base.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isConnected } from '../client/connection.js';
import { ConnectionBar } from './connection-bar.js';
import { cssVariables, theme } from './theme.js';

/** `call` waits for a lost server itself, so queries fail only with a reason and are not repeated. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** What changed while the server was away is shown as soon as it is back. */
isConnected.subscribe(() => isConnected.get() && void queries.invalidateQueries());

interface AppOptions {
  /** False for a place that works without the server, and says so itself. */
  readonly hasConnectionBar?: boolean;
}

export function renderApp(place: ReactNode, { hasConnectionBar = true }: AppOptions = {}): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no element #root');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queries}>
          <Notifications position={hasConnectionBar ? 'bottom-right' : 'top-center'} />
          {hasConnectionBar && <ConnectionBar />}
          {place}
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

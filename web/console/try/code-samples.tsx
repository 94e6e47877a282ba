/** The request as code. The credential is in an environment variable. */
import { Stack, Tabs, Title } from '@mantine/core';
import { CodeText } from '../../ui/code-text.js';
import { asCurl } from './as-curl.js';
import { asJavaScript } from './as-javascript.js';
import { asPython } from './as-python.js';
import type { Composed } from './composed.js';

const LANGUAGES = [
  { name: 'curl', label: 'curl', print: asCurl },
  { name: 'javascript', label: 'JavaScript (square)', print: asJavaScript },
  { name: 'python', label: 'Python', print: asPython },
];

export function CodeSamples({ composed }: { readonly composed: Composed }) {
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        As code
      </Title>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {LANGUAGES.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map(({ name, label, print }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeText text={print(composed, window.location.origin)} label={`the request as ${label}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

/** The developer's console of a sandbox. */
import { RouterProvider } from '@tanstack/react-router';
import { renderApp } from '../ui/app.js';
import { router } from './routes.js';

renderApp(<RouterProvider router={router} />);

/**
 * An online store for shoppers. It is also an example for developers who build their own: it calls the public operations under
 * /api/checkout, with the publishable key that the page is served with, and nothing else.
 */
import { RouterProvider } from '@tanstack/react-router';
import { renderApp } from '../ui/app.js';
import { router } from './routes.js';

renderApp(<RouterProvider router={router} />);

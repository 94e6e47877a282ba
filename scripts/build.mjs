/** `npm run build`: compiles the server and the pages to dist/. */
import { build, ensureInstalled } from './prepare.mjs';

ensureInstalled();
build();

/** `npm run build`: compiles to dist/. */
import { build, ensureInstalled } from './prepare.mjs';

ensureInstalled();
build();

#!/usr/bin/env node
/** The entry point of the command line. Everything else is loaded after the version of Node.js is known to be new enough. */
import { explainOldNode } from './base/oldest-node.js';

const tooOld = explainOldNode(process.versions.node);
if (tooOld === undefined) {
  const { runCommandLine } = await import('./cli/command-line.js');
  await runCommandLine(process.argv.slice(2));
} else {
  console.error(`tillhouse: ${tooOld}`);
  process.exitCode = 1;
}

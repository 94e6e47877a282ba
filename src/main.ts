#!/usr/bin/env node
/** The entry point of the command line. */
import { runCommandLine } from './cli/command-line.js';

await runCommandLine(process.argv.slice(2));

/** The built test kit. Its server is a program, which only the build makes. */
import { join } from 'node:path';
import { buildProgram } from './built.js';

export type Kit = typeof import('../../src/testing/index.js');

export async function loadKit(): Promise<Kit> {
  return (await import(join(await buildProgram(), 'dist/testing.js'))) as Kit;
}

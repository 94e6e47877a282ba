export interface Found {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes that were started with one of the folders in their arguments, or that work in it; if asked for, also those that have it in
 * their environment, if the system shows it.
 */
export function processesIn(
  folders: string | readonly string[],
  options?: { readonly orItsEnvironment?: boolean },
): Promise<Found[]>;

/** Types of the functions of debian.mjs that tests use. */
export function canInstallPackages(): boolean;
export function installPackage(...choices: readonly (string | readonly string[])[]): boolean;

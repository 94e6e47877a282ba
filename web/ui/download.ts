/** Hands a file to the browser, as if it had been downloaded. */
export function downloadFile(name: string, parts: readonly string[], type: string): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function downloadJson(name: string, value: unknown): void {
  downloadFile(`${name}.json`, [`${JSON.stringify(value, null, 2)}\n`], 'application/json');
}

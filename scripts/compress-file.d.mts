export function compressFile(path: string): Promise<void>;

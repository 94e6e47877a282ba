/** Prepares a chosen file for the upload: small enough, and without the place and the device that cameras write into photos. */

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** Enough for a receipt or the page of an item on a large screen. */
const MAX_SIDE = 1600;
/** The server's limit (src/business/pictures/model.ts). */
const MAX_BYTES = 750_000;
/** Tried one after the other until the picture is small enough. */
const QUALITIES = [0.86, 0.7, 0.5];

/** The picture in base64. Throws an error with a text for the person. */
export async function preparePicture(file: File): Promise<string> {
  if (!PICTURE_TYPES.includes(file.type)) throw new Error('Choose a PNG, JPEG or WebP picture.');
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error('This file is damaged, or is not a picture.');
  });
  const isSmall = file.size <= MAX_BYTES && Math.max(bitmap.width, bitmap.height) <= MAX_SIDE;
  // Photos are always drawn again, because they may say where they were taken.
  const content = isSmall && file.type !== 'image/jpeg' ? file : await redraw(bitmap, file.type);
  bitmap.close();
  return toBase64(content);
}

async function redraw(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  // WebP keeps transparency; photos stay JPEG, which every browser can write.
  const target = type === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, target, quality));
    if (blob && blob.size <= MAX_BYTES) return blob;
  }
  throw new Error('This picture is too large. Choose a smaller one.');
}

async function toBase64(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

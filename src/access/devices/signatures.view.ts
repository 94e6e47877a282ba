/** The wire format of what employees sign at registers. */
import { about, model, text } from '../../api/wire.js';

export const SignatureModel = model('Signature', {
  key: about(
    'The `signing_key` with which the employee signed in, or gave an approval, at this device.',
    text(255, { minLength: 1 }),
  ),
  time: about("When it was signed, by the server's clock as far as the register knows it.", text(40, { minLength: 1 })),
  value: about(
    'The signature in base64, 64 bytes (ECDSA with P-256 and SHA-256), of canonical JSON: without spaces, members sorted by name.',
    text(255),
  ),
});

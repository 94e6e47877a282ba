/** The status of a response as a coloured badge with its number. */
import { Tag, type Tone } from '../ui/tag.js';

export function StatusBadge({ status }: { readonly status: number }) {
  return <Tag tone={toneOf(status)}>{status === 0 ? 'reset' : status}</Tag>;
}

function toneOf(status: number): Tone {
  if (status === 0 || status >= 500) return 'bad';
  if (status >= 400) return 'warning';
  return status >= 300 ? 'quiet' : 'good';
}

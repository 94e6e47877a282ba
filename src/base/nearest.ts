/** Finds what somebody who wrote a wrong name may have meant. */

const MAX_SUGGESTIONS = 3;
/** A name with more differences than this share of its letters is another name. */
const MAX_DIFFERENCE = 0.5;

/** The known names that are most similar, best first. The case of letters counts little. */
export function nearestNames(wrong: string, known: Iterable<string>): readonly string[] {
  const word = wrong.toLowerCase();
  return [...known]
    .map((name) => ({ name, distance: distanceOf(word, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(name.length, word.length) * MAX_DIFFERENCE)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** A question with the most similar names and a space in front of it. Empty if nothing is similar. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  const nearest = nearestNames(wrong, known).slice(0, 2);
  return nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
}

/** How many letters have to be inserted, removed or replaced (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

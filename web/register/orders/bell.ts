/** Rings a small bell, made of two tones. Browsers allow it only after somebody has touched the page. */

const TONES = [880, 1320] as const;
const LENGTH_S = 0.9;

let audio: AudioContext | undefined;

export function ring(): void {
  if (!navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  const { currentTime: start, destination } = audio;
  TONES.forEach((frequency, index) => {
    if (!audio) return;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const from = start + index * 0.18;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, from);
    volume.gain.exponentialRampToValueAtTime(0.25, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, from + LENGTH_S);
    tone.connect(volume).connect(destination);
    tone.start(from);
    tone.stop(from + LENGTH_S);
  });
}

/** The mark of Tillhouse: a house whose door is a till drawer. */
import source from './mark.svg';

export function Mark({ size = 28 }: { readonly size?: number }) {
  return <img src={source} width={size} height={size} alt="" style={{ display: 'block', flex: 'none' }} />;
}

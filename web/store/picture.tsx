/** The picture of an item, or a quiet field with its first letter. */
import classes from './picture.module.css';

interface PictureProps {
  readonly item: { readonly name: string; readonly picture_url?: string };
  readonly size: 'tile' | 'row';
}

export function Picture({ item: { name, picture_url }, size }: PictureProps) {
  if (picture_url === undefined) {
    return (
      <div className={classes['picture']} data-size={size} aria-hidden>
        {name.slice(0, 1)}
      </div>
    );
  }
  return <img className={classes['picture']} data-size={size} src={picture_url} alt="" loading="lazy" />;
}

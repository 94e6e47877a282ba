/** Chooses a picture: shows it, uploads it at once, and can remove it. */
import { Button, FileButton, Group, Input, Stack } from '@mantine/core';
import { useState } from 'react';
import { call } from '../client/call.js';
import { dashboard } from '../client/operations.js';
import { asProblem } from '../client/problem.js';
import { IconPhoto } from './icons.js';
import classes from './picture-input.module.css';
import { PICTURE_TYPES, preparePicture } from './prepare-picture.js';

export interface ChosenPicture {
  readonly id: string;
  readonly url: string;
}

interface PictureInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: ChosenPicture | undefined;
  readonly onChange: (picture: ChosenPicture | undefined) => void;
  /** What the server said about the picture. */
  readonly error?: string | undefined;
}

export function PictureInput({ label, description, value, onChange, error }: PictureInputProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const choose = async (file: File | null): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { picture } = await call(dashboard.uploadPicture, { content: await preparePicture(file) });
      onChange({ id: picture.id, url: picture.url });
    } catch (failure) {
      setProblem(asProblem(failure).message);
    } finally {
      setBusy(false);
    }
  };
  const remove = (): void => {
    setProblem(undefined);
    onChange(undefined);
  };
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={problem ?? error}>
      <Group gap="md" wrap="nowrap" my={6}>
        <div className={classes['preview']}>
          {value ? <img src={value.url} alt={`${label}: preview`} /> : <IconPhoto size={32} stroke={1.4} />}
        </div>
        <Stack gap="xs" align="flex-start">
          <FileButton accept={PICTURE_TYPES.join(',')} onChange={choose} key={value?.id ?? 'none'}>
            {(props) => (
              <Button variant="default" loading={isBusy} {...props}>
                {value ? 'Replace picture' : 'Choose picture'}
              </Button>
            )}
          </FileButton>
          {value && (
            <Button variant="subtle" color="gray" c="var(--danger-text)" size="compact-sm" onClick={remove}>
              Remove picture
            </Button>
          )}
        </Stack>
      </Group>
    </Input.Wrapper>
  );
}

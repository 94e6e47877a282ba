/** The buyer's own receipt: an address as a code to scan, and to copy. */
import { CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '../../ui/icons.js';
import { QrCode } from '../../ui/qr-code.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import classes from './receipt-link.module.css';

interface ReceiptLinkProps {
  /** From the server. A path if the server does not know its public address: then the origin of this page is used. */
  readonly address: string;
  readonly onClose: () => void;
}

export function ReceiptLink({ address, onClose }: ReceiptLinkProps) {
  const url = new URL(address, location.origin).href;
  return (
    <Panel title="Scan for the receipt" size={420} onClose={onClose}>
      <div className={classes['root']}>
        <QrCode text={url} label="Code with the address of the receipt" />
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
        <CopyButton value={url}>
          {({ copied, copy }) => (
            <BigButton icon={copied ? IconCheck : IconCopy} onClick={copy}>
              {copied ? 'Copied' : 'Copy the link'}
            </BigButton>
          )}
        </CopyButton>
      </div>
    </Panel>
  );
}

/** Takes the money for a sale: cash, cards, other tenders, in one part or several. The sale stays open until it is paid. */
import { useEffect, useRef, useState } from 'react';
import { amount, ZERO } from '../../../src/base/money.js';
import { cardName, tenderName } from '../../../src/business/tenders/words.js';
import { asProblem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { IconHeart } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { isEmpty } from '../core/cart.js';
import { isOnline } from '../core/connection.js';
import { cart } from '../core/current-cart.js';
import { device, offlineRules } from '../core/device.js';
import { Elsewhere } from '../core/elsewhere.js';
import type { TenderInput } from '../core/sale-body.js';
import { announce } from '../parts/announce.js';
import { BackButton } from '../parts/back-button.js';
import { BigButton } from '../parts/big-button.js';
import { Message } from '../parts/message.js';
import { Done } from '../receipt/done.js';
import { goTo } from '../shell/places.js';
import { CardReader } from './card-reader.js';
import { Cash } from './cash.js';
import classes from './charge.module.css';
import {
  type Charging,
  charging,
  Declined,
  inFlight,
  partsOf,
  splitInto,
  splitting,
  startCharging,
  take,
} from './charging.js';
import { Exchange } from './exchange.js';
import { ExternalCard } from './external-card.js';
import { GiveChange } from './give-change.js';
import { leaveOpen } from './leave.js';
import { OtherTender } from './other-tender.js';
import { SaleSummary } from './sale-summary.js';
import { SplitPanel } from './split-panel.js';
import { TestCards, type TestSource } from './test-cards.js';
import { Tip } from './tip.js';
import { UnknownCard } from './unknown-card.js';
import { type Way, Ways } from './ways.js';

export function Charge() {
  const [known, sending, current] = [useStore(charging), useStore(inFlight), useStore(cart)];
  // The receipt of the last sale is closed when the next cart has an item, even if nobody has dismissed it.
  const isOver = known?.isDone === true && !isEmpty(current);
  const state = sending ?? (isOver ? undefined : known);
  if (state?.isDone) return <Done sale={state} />;
  const paying = state ?? (isEmpty(current) ? undefined : startCharging());
  if (!paying) return <NothingToCharge />;
  return paying.due <= 0 ? <Exchange state={paying} /> : <TakeMoney state={paying} />;
}

function NothingToCharge() {
  return (
    <div className={classes['nothing']}>
      <h1>There is nothing to charge</h1>
      <BigButton tone="main" isTall onClick={() => goTo('sell')}>
        Start a sale
      </BigButton>
    </div>
  );
}

interface Shown {
  readonly tone: 'danger' | 'warning';
  readonly title: string;
  readonly text: string;
}

/** What the page asks for now. The tip comes between the card and its charge, on the buyer's side of the screen. */
function useTender(state: Charging) {
  const [way, setWay] = useState<Way>();
  const parts = partsOf(state, useStore(splitting));
  const [message, setMessage] = useState<Shown>();
  const [isBusy, setBusy] = useState(false);
  // A ref, because two tokens can come before React renders a new state.
  const isRunning = useRef(false);
  const part = amount(Math.min(parts[0] ?? state.due, state.due));
  const run = async (tender: TenderInput, name: string): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setMessage(undefined);
    try {
      await take(state, { ...(part < state.due && { amount: part }), ...tender }, name);
      setWay(undefined);
    } catch (error) {
      explain(error);
      if (error instanceof Declined) setWay(undefined);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  const explain = (error: unknown): void => {
    if (error instanceof Elsewhere) {
      if (error.isOver) {
        announce(error.message);
        goTo('sell');
      } else setMessage({ tone: 'warning', title: 'Nothing was charged yet', text: error.message });
      return;
    }
    const isDeclined = error instanceof Declined;
    setMessage({
      tone: 'danger',
      title: isDeclined ? 'Declined' : 'Not charged',
      text: isDeclined
        ? `${error.message} The sale is still open: take another card or another way to pay.`
        : asProblem(error).message,
    });
  };
  return { way, setWay, parts, part, run, explain, message, isBusy };
}

function TakeMoney({ state }: { readonly state: Charging }) {
  const tender = useTender(state);
  const { way, part, message } = tender;
  const currency = useStore(device)?.business.currency ?? 'USD';
  const top = useRef<HTMLElement>(null);
  // Scrolls to the top of the page, where the next question or the reason of a decline is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each of them anew
  useEffect(() => {
    top.current?.firstElementChild?.scrollIntoView({ block: 'nearest' });
  }, [way, message]);
  return (
    <div className={classes['charge']}>
      <section ref={top} className={classes['pay']} aria-label="Payment">
        {state.givesChange ? (
          <GiveChange state={state} part={part} currency={currency} />
        ) : (
          <AskForPart state={state} tender={tender} currency={currency} />
        )}
      </section>
      <SaleSummary state={state} currency={currency} />
    </div>
  );
}

interface AskForPartProps {
  readonly state: Charging;
  readonly tender: ReturnType<typeof useTender>;
  readonly currency: string;
}

function AskForPart({ state, tender, currency }: AskForPartProps) {
  const { way, setWay, parts, part, message, explain } = tender;
  const back = (): void => {
    if (way !== undefined) setWay(undefined);
    else {
      leaveOpen(state);
      goTo('sell');
    }
  };
  return (
    <>
      {!state.asked && (
        <BackButton onClick={back}>
          {way !== undefined
            ? 'Other ways to pay'
            : state.taken.length > 0
              ? 'Leave the sale open'
              : 'Back to the cart'}
        </BackButton>
      )}
      <div className={classes['due']}>
        <span>{parts.length > 1 ? `Part of ${printMoney({ amount: state.due, currency })}` : 'To pay'}</span>
        <h1>{printMoney({ amount: part, currency })}</h1>
      </div>
      {message && (
        <div className={classes['message']}>
          <Message tone={message.tone} title={message.title} role="alert">
            {message.text}
          </Message>
        </div>
      )}
      {state.asked ? (
        <UnknownCard state={state} onRefusal={explain} />
      ) : (
        <CurrentWay state={state} tender={tender} currency={currency} />
      )}
    </>
  );
}

function CurrentWay({ state, tender, currency }: AskForPartProps) {
  const { way, setWay, parts, part, run, isBusy } = tender;
  const [online, paired] = [useStore(isOnline), useStore(device)];
  const hasTestCards = (paired?.testSources.length ?? 0) > 0;
  const whyNot = (each: Way): string | undefined => {
    if (online || (each !== 'CARD' && each !== 'GIFT_CARD')) return undefined;
    if (each === 'CARD' && paired && offlineRules(paired).cards_allowed) return undefined;
    return 'needs the network';
  };
  switch (way) {
    case undefined:
      return (
        <Ways
          whyNot={whyNot}
          isPart={parts.length > 1}
          hasReader={hasTestCards || paired?.settings.card_reader === true}
          onWay={setWay}
        />
      );
    case 'CASH':
      return (
        <Cash
          due={part}
          currency={currency}
          isBusy={isBusy}
          onTendered={(tendered) => run({ type: 'CASH', tendered: amount(tendered) }, 'Cash')}
        />
      );
    case 'CARD':
    case 'GIFT_CARD':
      return <Card kind={way} part={part} currency={currency} isBusy={isBusy} onCard={run} />;
    case 'EXTERNAL_CARD':
      return (
        <ExternalCard
          due={part}
          currency={currency}
          isBusy={isBusy}
          onTake={(card) =>
            run(
              { type: 'EXTERNAL_CARD', ...card },
              tenderName({ type: 'EXTERNAL_CARD', card_brand: card.brand, last_4: card.last4 }),
            )
          }
        />
      );
    case 'OTHER':
      return (
        <OtherTender
          due={part}
          currency={currency}
          isBusy={isBusy}
          onTake={(name) => run({ type: 'OTHER', name }, name)}
        />
      );
    case 'SPLIT':
      return (
        <SplitPanel
          due={state.due}
          currency={currency}
          onSplit={(wanted) => {
            splitInto(state, wanted);
            setWay(undefined);
          }}
        />
      );
  }
}

interface CardProps {
  readonly kind: 'CARD' | 'GIFT_CARD';
  readonly part: number;
  readonly currency: string;
  readonly isBusy: boolean;
  readonly onCard: (tender: TenderInput, name: string) => Promise<void>;
}

/** The buyer chooses the tip first, so that the card is tapped only once. */
function Card({ kind, part, currency, isBusy, onCard }: CardProps) {
  const paired = useStore(device);
  const presets = paired?.location.tip_presets ?? [];
  const asksForTip = kind === 'CARD' && paired?.settings.ask_for_tip === true && presets.length > 0;
  const [tip, setTip] = useState<number | undefined>(asksForTip ? undefined : 0);
  if (!paired) return null;
  if (tip === undefined) {
    return (
      <div className={classes['buyer']}>
        <Tip due={part} currency={currency} presets={presets} business={paired.business.name} onTip={setTip} />
      </div>
    );
  }
  const charge = (sourceId: string, card: Pick<TestSource, 'brand' | 'last_4'> | undefined): void => {
    const name = kind === 'GIFT_CARD' ? 'Gift card' : cardName({ card_brand: card?.brand, last_4: card?.last_4 });
    void onCard({ type: kind, sourceId, ...(tip > 0 && { tip: amount(tip) }) }, name);
  };
  const sources = paired.testSources.filter((source) => source.kind === kind);
  return (
    <div className={classes['cards']}>
      {tip > ZERO && (
        <Message tone="good" icon={IconHeart}>
          {`With a tip of ${printMoney({ amount: tip, currency })}: ${printMoney({ amount: part + tip, currency })}`}
        </Message>
      )}
      {sources.length > 0 ? (
        <>
          <p className={classes['hint']} role="status">
            {isBusy ? 'Charging the card …' : 'This is a sandbox: tap a card to use it. No money moves.'}
          </p>
          <TestCards sources={sources} isBusy={isBusy} onPick={(source) => charge(source.source_id, source)} />
        </>
      ) : (
        <CardReader
          wanted={{ type: kind, amount: part + tip, currency }}
          isBusy={isBusy}
          onToken={(sourceId) => charge(sourceId, undefined)}
        />
      )}
    </div>
  );
}

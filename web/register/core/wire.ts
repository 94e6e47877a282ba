/** The shapes of what the server tells a register, and of what a register sends. */
import type { InputOf, ResponseOf } from '../../client/callable.js';
import type { register } from '../../client/register-operations.js';

export type WireMoney = { readonly amount: number; readonly currency: string };

/** What showDevice returns. */
export interface WireDevice {
  readonly id: string;
  readonly name: string;
  readonly mode: 'sandbox' | 'production';
  readonly settings: {
    readonly version?: string;
    readonly name: string;
    readonly lock_after_seconds: number;
    readonly show_pictures: boolean;
    readonly ask_for_tip: boolean;
  };
  readonly business: { readonly name: string; readonly currency: string; readonly country: string };
  readonly location: {
    readonly id: string;
    readonly name: string;
    readonly timezone: string;
    readonly tip_presets: readonly number[];
    readonly tips_enabled: boolean;
    readonly phone?: string;
    readonly logo_url?: string;
    readonly receipt_text?: string;
  };
  readonly test_sources?: readonly {
    readonly source_id: string;
    readonly label: string;
    readonly brand: string;
    readonly last_4: string;
    readonly kind: 'CARD' | 'GIFT_CARD';
    readonly outcome: string;
  }[];
  readonly offline?: {
    readonly cards_allowed: boolean;
    readonly card_limit_money?: WireMoney;
    readonly max_age_hours: number;
  };
}

/** What listTeam returns for each employee. */
export interface WireMember {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role_name?: string;
  readonly has_passcode: boolean;
  readonly permissions: readonly string[];
  readonly clocked_in_since?: string;
}

/** What signIn returns; showSession returns it without the session. */
export interface WireSession {
  readonly session: string;
  readonly employee_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly permissions: readonly string[];
  readonly clocked_in_since?: string;
}

export type WireCatalogue = NonNullable<ResponseOf<typeof register.listCatalogue>['catalogue']>;
export type WireItem = WireCatalogue['items'][number];
export type WireVariation = WireItem['variations'][number];
export type WireSale = ResponseOf<typeof register.ringUpSale>['sale'];
export type WireShift = ResponseOf<typeof register.openShift>['cash_drawer_shift'];
export type SaleBody = InputOf<typeof register.ringUpSale>;
export type WireTender = NonNullable<SaleBody['tenders']>[number];

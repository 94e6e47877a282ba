/** The shapes of what the server tells a register, and of what a register sends. */
import type { InputOf, ResponseOf } from '../../client/callable.js';
import type { register } from '../../client/register-operations.js';

export type WireDevice = ResponseOf<typeof register.showDevice>;
export type WireMember = ResponseOf<typeof register.listTeam>['employees'][number];
export type WireSession = ResponseOf<typeof register.signIn>;
export type WireApproval = ResponseOf<typeof register.giveApproval>;
export type WireCatalogue = NonNullable<ResponseOf<typeof register.listCatalogue>['catalogue']>;
export type WireItem = WireCatalogue['items'][number];
export type WireVariation = WireItem['variations'][number];
export type WireSale = ResponseOf<typeof register.ringUpSale>['sale'];
export type WireShift = ResponseOf<typeof register.openShift>['cash_drawer_shift'];
export type SaleBody = InputOf<typeof register.ringUpSale>;
/** What an employee has signed. */
export type WireSignature = NonNullable<InputOf<typeof register.sendQueue>['writes'][number]['signature']>;
export type WireTender = NonNullable<SaleBody['tenders']>[number];

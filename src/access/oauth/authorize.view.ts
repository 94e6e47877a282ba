/** The two pages on which an owner signs in and allows an application. They work without scripts. */
import { type Html, html } from '../../api/html.js';
import type { PageResponse } from '../../api/pages.js';
import type { AuthorizationRequest } from './authorize-request.js';
import { PERMISSION_DESCRIPTIONS } from './permission-descriptions.js';
import { originOf, policySourceOf } from './redirect-urls.js';

export type Step = 'sign-in' | 'consent';

/** What a form needs besides its fields: the authorization request, and the token that proves its origin. */
export interface FormContext {
  /** The query of the page. The form sends it again, so that it belongs to the same request. */
  readonly search: string;
  readonly token: string;
}

/** Why the page is shown again, and the email that the owner does not have to enter again. */
export interface SignInProblem {
  readonly message: string;
  readonly email?: string;
}

export function signInPage(
  { application }: AuthorizationRequest,
  frame: FormContext,
  problem?: SignInProblem,
): PageResponse {
  const { message, email } = problem ?? {};
  const focus = (isFocused: boolean): Html | false => isFocused && html` autofocus`;
  const title = `Sign in to allow ${application.name}`;
  return {
    status: problem === undefined ? 200 : 401,
    title,
    body: html`<h1>${title}</h1>
<p>${application.name} requests access to your business. Sign in with your dashboard account to see the details.</p>
${message !== undefined && html`<p class="problem" role="alert">${message}</p>`}
${form(
  'sign-in',
  frame,
  html`<label for="email">Email</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="username" maxlength="255" required${focus(email === undefined)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="255" required${focus(email !== undefined)}>
<div class="buttons"><button class="main" type="submit">Sign in</button></div>`,
)}`,
  };
}

export function consentPage(request: AuthorizationRequest, email: string, frame: FormContext): PageResponse {
  const { application, permissions, redirectUrl } = request;
  const title = `Allow ${application.name}?`;
  return {
    status: 200,
    title,
    formTargets: policySourceOf(redirectUrl),
    body: html`<h1>${title}</h1>
<p>You are signed in as ${email}. <a href="?${frame.search}&amp;session=false">Sign in as somebody else</a></p>
<h2>It will be able to</h2>
<ul>
${permissions.map((permission) => html`<li>${PERMISSION_DESCRIPTIONS[permission]}</li>\n`)}</ul>
<p>You can revoke this access in the dashboard at any time. Next, you return to ${originOf(redirectUrl)}.</p>
${form(
  'consent',
  frame,
  html`<div class="buttons">
<button class="main" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</div>`,
)}`,
  };
}

function form(step: Step, { search, token }: FormContext, fields: Html): Html {
  return html`<form method="post" action="?${search}">
<input type="hidden" name="step" value="${step}">
<input type="hidden" name="token" value="${token}">
${fields}
</form>`;
}

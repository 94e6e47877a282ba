/** One operation: the form with its example, the credential, the same as code, and the response. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { type ProgramRequest, type ProgramResponse, sendAsProgram } from '../../client/send-as-program.js';
import { useChangeAddress } from '../../ui/address.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconPlayerPlay } from '../../ui/icons.js';
import { Notice } from '../../ui/notice.js';
import { BackToList } from '../back-to-list.js';
import listClasses from '../requests/requests.module.css';
import { BodyEditor } from './body-editor.js';
import { CodeSamples } from './code-samples.js';
import { type Composed, missingOf, pathOf, SCHEMES, SESSION_HEADER } from './composed.js';
import { Credential, type Typed } from './credential.js';
import type { DescribedApi, Schema, Scheme } from './described.js';
import { Method } from './operation-list.js';
import { Outcome } from './outcome.js';
import { findPageKey, forgetRegister, ownRegister } from './own-credentials.js';
import { ownToken } from './own-token.js';
import classes from './try.module.css';
import type { TriedPlace } from './use-example.js';
import { Members } from './value-field.js';

interface AttemptProps {
  readonly example: Composed;
  readonly hint: string | undefined;
  readonly models: DescribedApi['models'];
  readonly place: TriedPlace;
}

export function Attempt({ example, hint, models, place }: AttemptProps) {
  const [composed, setComposed] = useState(example);
  const [typed, setTyped] = useState<Typed>({ secret: '', session: '' });
  const [isSent, setSent] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [response, setResponse] = useState<ProgramResponse>();
  const [problem, setProblem] = useState<Problem>();
  const { operation } = composed;
  const missing = isSent ? missingOf(composed) : [];

  const send = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setSent(true);
    const bad = event.currentTarget.querySelector<HTMLElement>('[data-bad-json]');
    if (bad) return bad.focus();
    if (missingOf(composed).length > 0) return;
    setBusy(true);
    setProblem(undefined);
    try {
      setResponse(await sendAsProgram(await toRequest(composed, typed, place)));
      if (operation.name === 'register.signOut') forgetRegister(place.merchantId, place.locationId);
    } catch (error) {
      setResponse(undefined);
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <section className={listClasses['detail']} aria-label={operation.name}>
      <Stack gap="lg" p="lg">
        <Heading composed={composed} />
        {hint !== undefined && (
          <Notice tone="warning" title="Not everything was taken over">
            {hint}
          </Notice>
        )}
        <form onSubmit={send} noValidate>
          <Stack gap="md">
            <Credential
              composed={composed}
              onCompose={setComposed}
              typed={typed}
              onType={(part) => setTyped({ ...typed, ...part })}
              place={place}
            />
            {operation.parameters.length > 0 && (
              <Members
                schema={schemaOf(operation.parameters)}
                models={models}
                value={composed.values}
                onChange={(values) => setComposed({ ...composed, values: toTexts(values) })}
                errors={Object.fromEntries(missing.map((name) => [name, 'Required: it is a part of the path.']))}
              />
            )}
            {operation.body && (
              <BodyEditor
                schema={operation.body.schema}
                models={models}
                value={composed.body}
                onChange={(body) => setComposed({ ...composed, body })}
              />
            )}
            <Button type="submit" w="fit-content" leftSection={<IconPlayerPlay size={18} />} loading={isBusy}>
              Send
            </Button>
          </Stack>
        </form>
        {problem && <ProblemAlert problem={problem} />}
        {response && <Outcome response={response} isRecorded={operation.surface !== 'sandbox'} />}
        <CodeSamples composed={composed} />
      </Stack>
    </section>
  );
}

function Heading({ composed: { operation, values } }: { readonly composed: Composed }) {
  const change = useChangeAddress();
  return (
    <Stack gap="xs">
      <BackToList label="All operations" onClick={() => change({ operation: undefined })} />
      <Title order={2} size="1.125rem" style={{ overflowWrap: 'anywhere' }}>
        {operation.name}
      </Title>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <Method method={operation.method} />
        <Text ff="monospace" size="sm" className={classes['path'] ?? ''}>
          {pathOf({ operation, values, body: undefined })}
        </Text>
      </Group>
      <Text>
        {operation.summary} {operation.description}
      </Text>
    </Stack>
  );
}

/** Parameters as the members of an object, so that they get the same fields as a body. */
function schemaOf(parameters: Composed['operation']['parameters']): Schema {
  const properties = parameters.map(({ name, schema, description }) => [
    name,
    { ...schema, ...(description !== undefined && { description }) },
  ]);
  return {
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function toTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

async function toRequest(composed: Composed, typed: Typed, place: TriedPlace): Promise<ProgramRequest> {
  const { operation, body } = composed;
  const { scheme } = operation;
  const { secret, session } = await completed(scheme, typed, place);
  return {
    method: operation.method,
    path: pathOf(composed),
    withCookies: scheme === 'operatorKey' && secret === '',
    headers: {
      ...(scheme && secret !== '' && { authorization: `${SCHEMES[scheme].word} ${secret}` }),
      ...(scheme === 'deviceToken' && session !== '' && { [SESSION_HEADER.name]: session }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** What was typed, or a credential of the merchant that this page finds or makes. */
async function completed(scheme: Scheme | undefined, typed: Typed, place: TriedPlace): Promise<Typed> {
  const { merchantId, locationId } = place;
  const [secret, session] = [typed.secret.trim(), typed.session.trim()];
  if (secret !== '') return { secret, session };
  if (scheme === 'accessToken') return { secret: await ownToken(merchantId), session };
  if (scheme === 'publishableKey') return { secret: (await findPageKey(merchantId)) ?? '', session };
  if (scheme !== 'deviceToken') return { secret, session };
  const register = await ownRegister(merchantId, locationId);
  return { secret: register.deviceToken, session: session || register.session };
}

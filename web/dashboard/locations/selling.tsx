/** What the registers of a location offer and print: logo and text of receipts, tips, tax. */
import { Chip, Group, SegmentedControl, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { PictureInput } from '../../ui/picture-input.js';
import type { LocationDraft } from './draft.js';
import { type FormPart, Section } from './section.js';

const TIPS = [5, 10, 12, 15, 18, 20, 22, 25, 30];
const MAX_TIPS = 4;

export function Selling({ edit: { typed: values, set }, errorOf }: FormPart) {
  const tips = [...new Set([...TIPS, ...values.tips])].toSorted((one, other) => one - other);
  return (
    <Section title="Receipts, tips and tax" description="What the registers of this location offer and print.">
      <Stack gap="lg">
        <PictureInput
          label="Logo on receipts"
          description="PNG, JPEG or WebP. It is printed at the top."
          value={values.logo ?? undefined}
          onChange={(picture) => set('logo', picture ?? null)}
          error={errorOf('picture_id')}
        />
        <Textarea
          label="Text on receipts"
          description="Printed at the end, such as opening hours or “Thank you”."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={1000}
          value={values.receiptText}
          onChange={(event) => set('receiptText', event.currentTarget.value)}
          error={errorOf('receipt_text')}
        />
        <Stack gap={6} role="group" aria-labelledby="tips">
          <Text id="tips" size="sm" fw={600}>
            Tips that are offered
          </Text>
          <Text size="xs" c="dimmed">
            Up to four. Without any, registers do not ask for a tip.
          </Text>
          <Chip.Group
            multiple
            value={values.tips.map(String)}
            onChange={(chosen) =>
              set(
                'tips',
                chosen.map(Number).toSorted((one, other) => one - other),
              )
            }
          >
            <Group gap="xs">
              {tips.map((tip) => (
                <Chip
                  key={tip}
                  value={String(tip)}
                  disabled={values.tips.length >= MAX_TIPS && !values.tips.includes(tip)}
                >
                  {tip} %
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Stack>
        <TaxInput value={values.tax} onChange={(tax) => set('tax', tax)} errorOf={errorOf} />
      </Stack>
    </Section>
  );
}

interface TaxInputProps {
  readonly value: LocationDraft['tax'];
  readonly onChange: (value: LocationDraft['tax']) => void;
  readonly errorOf: FormPart['errorOf'];
}

function TaxInput({ value, onChange, errorOf }: TaxInputProps) {
  return (
    <Stack gap="sm">
      <Switch
        label="Sales tax on custom amounts"
        description="For what is sold without an item of the catalogue."
        checked={value !== null}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked ? { name: 'Sales tax', percentage: '', isIncluded: false } : null)
        }
      />
      {value && (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput
            label="Name of the tax"
            required
            maxLength={255}
            value={value.name}
            onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
            error={errorOf('sales_tax.name')}
          />
          <TextInput
            label="Rate in percent"
            required
            inputMode="decimal"
            placeholder="8.875"
            pattern="[0-9]{1,2}([.][0-9]{1,5})?"
            title="A number such as 8.875"
            value={value.percentage}
            onChange={(event) => onChange({ ...value, percentage: event.currentTarget.value.replace(',', '.') })}
            error={errorOf('sales_tax.percentage')}
          />
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              Prices
            </Text>
            <SegmentedControl
              aria-label="Prices"
              data={[
                { value: 'added', label: 'Without tax' },
                { value: 'included', label: 'Include tax' },
              ]}
              value={value.isIncluded ? 'included' : 'added'}
              onChange={(chosen) => onChange({ ...value, isIncluded: chosen === 'included' })}
            />
          </Stack>
        </SimpleGrid>
      )}
    </Stack>
  );
}

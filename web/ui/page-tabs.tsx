/** Tabs of a page. The address says which one is open; the first one needs no name there. */
import { Tabs } from '@mantine/core';
import type { ComponentType } from 'react';
import { useAddress } from './address.js';

export interface PageTab {
  /** In the address. */
  readonly name: string;
  readonly label: string;
  readonly content: ComponentType;
}

export function PageTabs({ tabs }: { readonly tabs: readonly [PageTab, ...PageTab[]] }) {
  const [chosen, choose] = useAddress('tab');
  const [first] = tabs;
  const { name, content: Content } = tabs.find((tab) => tab.name === chosen) ?? first;
  return (
    <Tabs
      value={name}
      onChange={(next) => choose(next === null || next === first.name ? undefined : next)}
      keepMounted={false}
    >
      <Tabs.List mb="lg">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.name} value={tab.name}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={name}>
        <Content />
      </Tabs.Panel>
    </Tabs>
  );
}

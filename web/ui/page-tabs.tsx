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
      {/* On phones they are in one line that scrolls. */}
      <Tabs.List mb="lg" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.name} value={tab.name} style={{ flex: 'none' }}>
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

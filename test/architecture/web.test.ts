/** The rules of web/: what pages may import, and from whom. */
import { FILE_RULES } from './file-rules.js';
import { each, isOurs, keepRules, webSources } from './sources.js';

/** What each room of web/ may import of the others. A new room needs a row. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  client: ['client'],
  ui: ['client', 'ui'],
  dashboard: ['client', 'ui', 'dashboard'],
  register: ['client', 'ui', 'register'],
  store: ['client', 'ui', 'store'],
  console: ['client', 'ui', 'console'],
  start: ['client', 'ui', 'start'],
  build: ['build'],
  'vite.config.ts': ['build'],
};

/** Pages contain these leaves of the server, which import nothing that only a server has. */
const LEAVES = [
  'src/access/devices/signed-text.ts',
  'src/api/example-ids.ts',
  'src/api/sample-ids.ts',
  'src/base/canonical-json.ts',
  'src/base/card-numbers.ts',
  'src/base/curl-command.ts',
  'src/base/decimal.ts',
  'src/base/errors.ts',
  'src/base/money.ts',
  'src/base/postal-address.ts',
  'src/base/qr-code.ts',
  'src/base/senders.ts',
  'src/base/time.ts',
  'src/base/time-zones.ts',
  'src/business/figures/drawer.ts',
  'src/business/figures/model.ts',
  'src/business/figures/receipt.ts',
  'src/business/figures/report.ts',
  'src/business/figures/sale.ts',
  'src/business/figures/settlement.ts',
  'src/business/receipts/list-prices.ts',
  'src/business/receipts/model.ts',
  'src/business/receipts/reductions.ts',
  'src/business/tenders/words.ts',
  'src/events/model.ts',
];

const PACKAGES =
  /^(?:react|react-dom(?:\/client)?|@mantine\/(?:charts|core|hooks|notifications|spotlight)|@tanstack\/react-(?:query|router))$/;

const OPERATION_FILES = /^web\/client\/(?:checkout-|register-|sandbox-)?operations\.ts$/;

/** The service worker responds to requests of pages, so it also sends requests. */
const SENDERS = /^web\/(?:client\/|register\/offline-worker\.ts$)/;

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

keepRules(
  {
    ...FILE_RULES,

    'a room of web/ imports only what lies below it': {
      rule: (among) =>
        each(among, ({ path, imports }) => {
          const allowed = MAY_IMPORT[roomOf(path)];
          if (!allowed) return ['stands on no floor'];
          return imports.filter(({ to }) => to.startsWith('web/') && !allowed.includes(roomOf(to))).map(({ to }) => to);
        }),
      breaches: {
        'web/client/call.ts': "import { Failed } from '../ui/states.js';",
        'web/ui/page.tsx': "import { Shell } from '../dashboard/shell/shell.js';",
        'web/start/start.tsx': "import { Shell } from '../dashboard/shell/shell.js';",
        'web/build/compress.ts': "import { call } from '../client/call.js';",
        'web/vite.config.ts': "import { call } from './client/call.js';",
        'web/dashboard/team/team.tsx': "import { Receipt } from '../../register/sale/receipt.js';",
        'web/register/core/queue.ts': "import { Shell } from '../../dashboard/shell/shell.js';",
        'web/store/cart/cart.tsx': "import { Receipt } from '../../register/sale/receipt.js';",
        'web/console/shell/shell.tsx': "import { Shell } from '../../dashboard/shell/shell.js';",
        'web/gadgets/x.ts': '',
      },
    },

    'pages contain nothing of the server but a few leaves; types cross over': {
      rule: (among) =>
        each(among, ({ imports }) =>
          imports
            .filter(({ to, isType }) => to.startsWith('src/') && !isType && !LEAVES.includes(to))
            .map(({ to }) => to),
        ),
      breaches: {
        'web/client/operations.ts': "import { operationsOn } from '../../src/operations.js';",
        'web/ui/money.tsx': "import { newSecret } from '../../src/base/ids.js';",
        'web/dashboard/team/team.tsx': "import { EMPLOYEE_STATUSES } from '../../../src/business/employees/model.js';",
      },
    },

    'pages import known packages only, and nothing that only Node.js has': {
      rule: (among) =>
        each(
          among.filter(({ path }) => !/^web\/(?:build\/|vite\.config)/.test(path)),
          ({ path, imports }) =>
            imports
              .filter(({ isType }) => !isType)
              .map(({ to }) => to)
              .filter((to) => !isOurs(to) && !/\.(?:css|svg)$/.test(to) && !PACKAGES.test(to))
              .filter((to) => !(OPERATION_FILES.test(path) && to.startsWith('virtual:operations/')))
              .filter((to) => !(path === 'web/ui/icons.ts' && to.startsWith('icon:'))),
        ),
      breaches: {
        'web/ui/csv.ts': "import { readFile } from 'node:fs/promises';",
        'web/ui/tag.tsx': "import IconCheck from 'icon:check';",
        'web/dashboard/team/team.tsx': "import { declared } from 'virtual:operations/dashboard';",
        'web/ui/page.tsx': "import 'left-pad';",
      },
    },

    'only the client sends requests': {
      rule: (among) =>
        each(among, ({ path, code }) =>
          !SENDERS.test(path) && /\bfetch\(|XMLHttpRequest|\.sendBeacon/.test(code) ? ['sends one'] : [],
        ),
      breaches: {
        'web/dashboard/team/team.tsx': "await fetch('/api/dashboard/employees');",
        'web/register/core/queue.ts': "await fetch('/api/register/queue');",
      },
    },

    'no markup is built from text': {
      rule: (among) =>
        each(among, ({ code }) =>
          [...code.matchAll(/dangerouslySetInnerHTML|\.innerHTML\b|\beval\(/g)].map(([found]) => found),
        ),
      breaches: { 'web/ui/page.tsx': '<div dangerouslySetInnerHTML={{ __html: name }} />' },
    },
  },
  webSources,
  'web/',
);

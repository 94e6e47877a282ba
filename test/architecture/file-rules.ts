/** Rules for every source file, of the server and of the pages: names, lengths, comments. */
import { each, type KeptRule } from './sources.js';

/** Hyphens join the words of a name, dots its parts. */
export const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;

export const FILE_RULES: Readonly<Record<string, KeptRule>> = {
  'each file opens with a sentence on what it is responsible for': {
    rule: (among) =>
      each(among, ({ text }) =>
        /^(?:#!.*\n)?\/\*\*(?:\s|\*(?!\/))*[A-Z`](?:(?!\*\/)[\s\S]){10,}?\.(?:\s|\*\/)/.test(text)
          ? []
          : [text.slice(0, 60)],
      ),
    breaches: {
      'base/a.ts': 'export const a = 1;',
      'base/b.ts': "import x from 'node:fs';\n/** Does something that is well described. */",
      'base/c.ts': '/** */\nexport const c = 1;',
      'base/d.ts': '/** no sentence */\nexport const d = 1.5;',
    },
  },

  'names are in kebab-case and say something': {
    rule: (among) =>
      each(among, ({ path }) =>
        path.split('/').filter((part) => !KEBAB.test(part) || /util|helper|common|manager|service|misc/.test(part)),
      ),
    breaches: {
      'base/moneyMath.ts': '',
      'base/string-utils.ts': '',
      'Access/tokens.ts': '',
      'business/employee_roles/model.ts': '',
      'access/session-manager.ts': '',
    },
  },

  'files stay within 400 lines': {
    rule: (among) =>
      each(among, ({ text }) => {
        const lines = text.split('\n').length - 1;
        return lines > 400 ? [`${lines} lines`] : [];
      }),
    breaches: { 'base/a.ts': '\n'.repeat(401) },
  },

  'no code is commented out, and no TODO stands without an issue': {
    rule: (among) =>
      each(among, ({ text }) =>
        [...text.matchAll(/^\s*\/\/.*[;{]\s*$|\b(?:TODO|FIXME|XXX)\b(?!.*#\d).*$/gm)].map(([found]) => found.trim()),
      ),
    breaches: { 'base/a.ts': '// const a = 1;', 'base/b.ts': '/** TODO: later */' },
  },
};

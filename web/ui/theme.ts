/** The look of all pages: the accent colour juniper, warm neutrals, system fonts, light and dark. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const juniper: MantineColorsTuple = [
  '#eef8f3',
  '#dcf0e6',
  '#b6e0cb',
  '#8ccfae',
  '#68c095',
  '#51b785',
  '#3aa873',
  '#2f9465',
  '#228257',
  '#17784d',
];

/** Warm, so that white cards stand out on the page. */
const gray: MantineColorsTuple = [
  '#fafaf8',
  '#f3f4f1',
  '#e8e9e6',
  '#dcdeda',
  '#c9ccc7',
  '#a4a9a4',
  '#5f6763',
  '#4a514d',
  '#323834',
  '#1d211f',
];

const dark: MantineColorsTuple = [
  '#e9ece9',
  '#c4cac6',
  '#a3aca7',
  '#7d8681',
  '#3a403d',
  '#2a2f2c',
  '#212623',
  '#1a1e1b',
  '#141715',
  '#0e100f',
];

export const theme = createTheme({
  primaryColor: 'juniper',
  /** White text is readable on the last two shades only. */
  primaryShade: { light: 9, dark: 8 },
  colors: { juniper, gray, dark },
  black: '#1d211f',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Paper: { styles: { root: { backgroundColor: 'var(--surface)', borderColor: 'var(--line)' } } },
    Modal: {
      defaultProps: { radius: 'lg', padding: 'lg' },
      styles: { content: { backgroundColor: 'var(--surface)' } },
    },
    // The button that closes a message has no name of its own.
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close the message' } },
      styles: { description: { color: 'var(--mantine-color-text)' } },
    },
    Drawer: {
      styles: {
        content: { backgroundColor: 'var(--surface)' },
        header: { backgroundColor: 'var(--surface)' },
        title: { fontWeight: 650 },
      },
    },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fafaf8',
    '--mantine-color-placeholder': '#6b736f',
    '--mantine-color-error': '#b3261e',
    '--surface': '#ffffff',
    '--line': '#e8e9e6',
    '--accent-text': '#17784d',
    '--accent-soft': '#dcf0e6',
    '--danger-text': '#b3261e',
    '--danger-soft': '#fdecea',
    '--warning-text': '#7a4f00',
    '--warning-soft': '#fdf1d8',
    '--neutral-soft': '#eeefec',
  },
  dark: {
    '--mantine-color-body': '#141715',
    '--mantine-color-placeholder': '#8f9893',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-anchor': '#68c095',
    '--surface': '#1a1e1b',
    '--line': '#2a2f2c',
    '--accent-text': '#68c095',
    '--accent-soft': '#173526',
    '--danger-text': '#ff8a80',
    '--danger-soft': '#3a1c1a',
    '--warning-text': '#f0c060',
    '--warning-soft': '#3a2c10',
    '--neutral-soft': '#262b28',
  },
});

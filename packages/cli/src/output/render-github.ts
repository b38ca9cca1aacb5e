import type { Report, Result } from './report.ts'

const commands = { note: 'notice', warning: 'warning', unknown: 'warning', failed: 'error' } as const

const worstFirst = ['error', 'warning', 'notice'] as const

/**
 * Workflow commands of GitHub Actions: on standard output of a step, each becomes an annotation of the file. GitHub shows only
 * the first ten of a step and kind, so the worst come first.
 */
export function renderGithub({ command, results }: Report): string {
  const shown = results.flatMap((each) => (each.level === 'passed' ? [] : [{ ...each, level: each.level }]))
  return worstFirst
    .flatMap((kind) => shown.filter(({ level }) => commands[level] === kind))
    .map((each) => annotation(command, each))
    .join('\n')
}

function annotation(
  command: string,
  { level, subject, message, fix, file, line }: Result & { readonly level: keyof typeof commands },
): string {
  const properties = {
    ...(file === undefined ? {} : { file, line: line ?? 1 }),
    title: `strata ${command}: ${subject}`,
  }
  const shown = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  const text = escapeData(fix === undefined ? message : `${message}\nNext: ${fix}`)
  return `::${commands[level]} ${shown.join(',')}::${text}`
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

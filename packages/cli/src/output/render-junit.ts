import type { Report, Result } from './report.ts'

/**
 * JUnit's XML in the shape that both common schemas accept (Ant's, which wants every attribute, and Jenkins'). A failed result is
 * a failure; an unknown one is an error, because CI must not take it for a success. Notes and warnings pass; their texts are
 * in system-out of the suite, because Ant's schema allows none in a test case.
 */
export function renderJunit({ command, results }: Report, atMs: number): string {
  const count = (level: Result['level']): number => results.filter((each) => each.level === level).length
  const counts = { tests: results.length, failures: count('failed'), errors: count('unknown') }
  const suite = {
    ...{ name: `strata ${command}`, package: `strata.${command}`, id: 0, hostname: 'localhost' },
    ...{ ...counts, skipped: 0, time: 0, timestamp: new Date(atMs).toISOString().slice(0, 19) },
  }
  const remarks = results.filter(({ level }) => level === 'note' || level === 'warning').map(textOf)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${attributes(suite)}>`,
    '    <properties/>',
    ...results.map((each) => caseOf(command, each)),
    `    <system-out>${escapeXml(remarks.join('\n'))}</system-out>`,
    '    <system-err/>',
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')
}

function caseOf(command: string, result: Result): string {
  const { level, rule, subject, message } = result
  const head = `    <testcase${attributes({ name: subject, classname: `strata.${command}`, time: 0 })}`
  const element = level === 'failed' ? 'failure' : level === 'unknown' ? 'error' : undefined
  if (element === undefined) return `${head}/>`
  const inner = `<${element}${attributes({ message, type: rule })}>${escapeXml(textOf(result))}</${element}>`
  return `${head}>${inner}</testcase>`
}

function textOf({ subject, message, fix, file, line }: Result): string {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `
  return `${place}${subject}: ${message}${fix === undefined ? '' : `\nNext: ${fix}`}`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('')
}

/** XML 1.0 has no way to write most control characters, and no lone surrogates: they become U+FFFD. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}

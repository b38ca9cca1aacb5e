import { pathToFileURL } from 'node:url'
import type { Report, Result } from './report.ts'

const sarifLevels = { note: 'note', warning: 'warning', unknown: 'warning', failed: 'error' } as const

/**
 * SARIF 2.1.0, for code scanning. What passed is left out: viewers list every result as a finding. A result without a file has
 * a logical location, the resource.
 */
export function renderSarif({ command, results }: Report): string {
  const found = results.filter(({ level }) => level !== 'passed')
  const rules = [...new Set(found.map(({ rule }) => idOf(command, rule)))].sort()
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'strata',
            rules: rules.map((id) => ({ id, shortDescription: { text: descriptionOf(id) } })),
          },
        },
        // Otherwise an automatic upload of another command would replace these results.
        automationDetails: { id: `strata/${command}/` },
        results: found.map((each) => resultOf(command, each, rules)),
      },
    ],
  }
  return JSON.stringify(log, undefined, 2)
}

function resultOf(command: string, result: Result, rules: readonly string[]): object {
  const { level, rule, subject, message, fix } = result
  const ruleId = idOf(command, rule)
  return {
    ...{ ruleId, ruleIndex: rules.indexOf(ruleId) },
    level: level === 'passed' ? 'none' : sarifLevels[level],
    message: { text: `${subject}: ${message}${fix === undefined ? '' : `\nNext: ${fix}`}` },
    locations: [locationOf(result)],
    // The same finding in the next run, although its text has other numbers.
    partialFingerprints: { 'strataResult/v1': `${ruleId}:${subject}` },
  }
}

function locationOf({ subject, file, line }: Result): object {
  const logicalLocations = [{ fullyQualifiedName: subject, kind: 'resource' }]
  if (file === undefined) return { logicalLocations }
  const uri = file.startsWith('/') ? pathToFileURL(file).href : encodeURI(file)
  const region = { startLine: line ?? 1 }
  return { physicalLocation: { artifactLocation: { uri }, region }, logicalLocations }
}

const idOf = (command: string, rule: string): string => `strata/${command}/${rule}`.replaceAll(' ', '-')

/** `strata/verify/not-seen`: Not seen (strata verify). */
function descriptionOf(id: string): string {
  const [, command = '', rule = ''] = id.split('/')
  const words = rule.replaceAll('-', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (strata ${command.replaceAll('-', ' ')})`
}

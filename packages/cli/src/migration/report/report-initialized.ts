import { groupResourceText } from '@strata/api'
import type { InitializerResult } from '@strata/controllers'
import type { Report, Result } from '../../output/report.ts'

/** Which migrations were created, or would be, and why others were not. */
export function reportInitialized(result: InitializerResult, dryRun: boolean): Report {
  const { definitions, created, skipped, unseen } = result
  const made = dryRun ? 'would be created' : 'created'
  const results: readonly Result[] = [
    ...definitions.map(({ name, did, because = '' }) => ({
      ...({ level: did === 'refuse' ? 'failed' : 'passed', rule: `CRD: ${did}`, subject: name } as const),
      message: because,
    })),
    ...created.map((each) => ({
      ...({ level: 'passed', rule: made, subject: groupResourceText(each) } as const),
      message: each.migration ?? '',
    })),
    ...skipped.map((each) => ({
      ...({ level: 'passed', rule: 'skipped', subject: groupResourceText(each) } as const),
      message: each.because,
    })),
    ...unseen.map((groupVersion) => ({
      ...({ level: 'unknown', rule: 'not seen', subject: groupVersion } as const),
      message: 'its discovery does not answer',
    })),
  ]
  const rows = results.map(({ subject, rule, message }) => [subject, rule, message])
  const table = { columns: ['RESOURCE', 'MIGRATION', 'NAME OR REASON'], rows }
  const nothing = 'no resource may be stored in more than one version'
  const sections = rows.length === 0 ? [{ notes: [nothing] }] : [{ table }]
  return { command: 'controllers init', sections, results, document: result }
}

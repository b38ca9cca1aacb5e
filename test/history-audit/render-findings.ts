import { versionNameOf } from '@strata/api'
import { formatTable, shownNames } from '@strata/cli/command-parts-for-test'
import type { HistoryFindings, ResourceFindings } from './findings.ts'

/** The findings as text. */
export function renderFindings(found: HistoryFindings): string {
  return [...renderResources(found.resources), ...renderExceptions(found), ...renderSummary(found)].join('\n')
}

const header = ['RESOURCE', 'PUTS', 'VERSIONS', 'MARKED', 'AMBIGUOUS', 'EXCEPTIONS', 'REVISIONS'] as const

function renderResources(resources: readonly ResourceFindings[]): string[] {
  const written = resources.filter(({ puts, exceptions }) => puts + exceptions > 0)
  if (written.length === 0) return []
  const rows = written.map((each) => [
    each.resource,
    String(each.puts),
    Object.entries(each.storedVersions)
      .map(([apiVersion, count]) => `${versionNameOf(apiVersion)} ${count}`)
      .join(', '),
    String(each.marked),
    String(each.ambiguous),
    String(each.exceptions),
    each.fromRevision === undefined ? '-' : `${each.fromRevision} to ${each.toRevision}`,
  ])
  return [formatTable(header, rows), '']
}

function renderExceptions({ exceptions, exceptionList }: HistoryFindings): string[] {
  if (exceptions === 0) return []
  const more = exceptions - exceptionList.length
  return [
    ...exceptionList.map(
      ({ revision, key, message, reason, guarantee }) =>
        `revision ${revision}: ${key} ${message} (${reason}${guarantee === 'loose' ? ', loose' : ''})`,
    ),
    ...(more > 0 ? [`and ${more} more; --limit ${exceptions} lists all`] : []),
    '',
  ]
}

function renderSummary(found: HistoryFindings): string[] {
  const { afterRevision, toRevision, puts, marked, ambiguous, unseen, exceptions, exempt } = found
  const gaps = found.resources.filter(({ recordingGaps }) => recordingGaps > 0)
  return [
    `Seen: revisions ${afterRevision + 1} to ${toRevision}; ${puts} puts of resources whose version is agreed on, ${exempt} of kinds that have one version for ever.`,
    ...(found.whole ? [] : [compacted(found)]),
    ...(unseen === 0
      ? []
      : [
          `NOT SEEN: ${unseen} puts are under keys that were not given (${found.missingKeys.join(', ')}); give them with --encryption-provider-config.`,
        ]),
    ...(gaps.length === 0
      ? []
      : [
          `${shownNames(gaps.map(({ resource }) => resource))}: servers that do not record what they write were there meanwhile.`,
        ]),
    ...(marked === puts
      ? []
      : [
          `${puts - marked} puts do not say who wrote them (serve --trace-writers adds it): they were held against the entries of all servers.`,
        ]),
    ...(ambiguous === 0
      ? []
      : [`AMBIGUOUS: ${ambiguous} of them could be of a server that had recorded another version.`]),
    exceptions === 0
      ? `No exceptions${found.whole && unseen === 0 ? '' : ' in what could be seen'}: ${marked === puts ? 'each is in the version that its writer had recorded just before.' : 'no server can have written a version that no server had recorded.'}`
      : `${exceptions} exceptions.`,
  ]
}

function compacted({ compactedRevision, afterRevision, toRevision }: HistoryFindings): string {
  if (compactedRevision === undefined) return `NOT SEEN WHOLE: the history ended at revision ${toRevision}.`
  if (compactedRevision > afterRevision) {
    return `NOT SEEN WHOLE: revisions ${toRevision + 1} to ${compactedRevision} were compacted while they were being read. Try again.`
  }
  return `NOT SEEN WHOLE: what was written up to revision ${compactedRevision} has been compacted. --since-revision ${compactedRevision} asks for what is left.`
}

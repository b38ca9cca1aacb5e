import { nameSome } from '@strata/api'
import type { Level, Report, Section, Table } from '../../output/report.ts'
import type { KeyedResource } from './decide-rotation.ts'
import { shortKey } from './key-text.ts'
import type { RotationReport } from './rotation-report.ts'

/** Which key each server reads and writes, what is stored, and the next step. */
export function reportRotation(report: RotationReport): Report {
  const { step, to, because, next, snippet, unseen, droppable, proof, migrations } = report
  const tables = [...recordTables(report), ...loadedTables(report), ...storedTables(report)]
  const title = to === undefined ? 'Rotation' : `Rotation to ${shortKey(to)}`
  const state = `${title}: ${stepTexts[step] ?? step}${because === undefined ? '' : `: ${because}`}`
  return {
    command: 'rotate-keys',
    sections: [
      ...tables.map((table): Section => ({ table })),
      { notes: migrations.map((each) => `${each.resource}: rewritten: ${each.because}`) },
      { notes: [state, ...next.map((each) => `  ${each}`)] },
      ...(snippet === undefined ? [] : [{ notes: snippet.map((line) => `  ${line}`) }]),
      ...(droppable.length === 0
        ? []
        : [
            {
              notes: [
                `${proof}: nothing is stored under ${droppable.map(shortKey).join(', ')}, and no server writes with it`,
              ],
            },
          ]),
      ...(unseen.length === 0
        ? []
        : [{ notes: ['Not seen, so no key is called droppable:', ...unseen.map((each) => `  ${each}`)] }]),
    ],
    results: [
      {
        level: levelOf(report),
        rule: step,
        subject: title,
        message: because ?? stepTexts[step] ?? step,
        fix: next[0],
      },
      ...unseen.map((each) => ({
        level: 'unknown' as const,
        rule: 'not-seen',
        subject: title,
        message: each,
      })),
    ],
    document: report,
  }
}

const stepTexts: Readonly<Record<string, string>> = {
  begin: 'not begun',
  blocked: 'something has to be put right first',
  add: 'the servers need the new key, to read with',
  load: 'not every server has loaded the file',
  promote: 'the new key is not the first one yet',
  agree: 'the servers do not write with it yet',
  rewrite: 'objects may be under other keys',
  wait: 'a write under an older file may still arrive',
  drop: 'the old key can be taken out',
  done: 'done',
}

const levelOf = ({ exit, step }: RotationReport): Level => {
  if (exit === 'proven' || exit === 'observedClean') return step === 'drop' ? 'note' : 'passed'
  return exit === 'unknown' || exit === 'notSeen' ? 'unknown' : 'failed'
}

/** Resources that are alike share their rows. */
function recordTables({ resources = [] }: RotationReport): readonly Table[] {
  if (resources.length === 0) return []
  const alike = Map.groupBy(resources, ({ servers, persistedKeys }: KeyedResource) =>
    JSON.stringify([servers, persistedKeys]),
  )
  const shown = (keys: readonly string[]): string => keys.map(shortKey).join(', ') || '-'
  const rows = [...alike.values()].flatMap((group) => {
    const names = nameSome(group.map(({ resource }) => resource))
    const [first] = group
    if (first === undefined) return []
    if (first.servers.length === 0) return [[names, '-', '-', '-', '-', shown(first.persistedKeys)]]
    return first.servers.map(({ name, writeKey, readableKeys, wantedKey }) => [
      ...[
        names,
        name,
        shortKey(writeKey),
        shown(readableKeys),
        wantedKey === undefined ? '-' : shortKey(wantedKey),
      ],
      shown(first.persistedKeys),
    ])
  })
  return [{ columns: ['RESOURCES', 'SERVER', 'WRITES', 'READS', 'WAITS FOR', 'STORED UNDER'], rows }]
}

const loadedTables = ({ loaded = [] }: RotationReport): readonly Table[] =>
  loaded.length === 0
    ? []
    : [
        {
          columns: ['SERVER', 'LOADED FILE'],
          rows: loaded.map(({ server, name, file }) => [name ?? server, file ?? '-']),
        },
      ]

const storedTables = ({ stored = [] }: RotationReport): readonly Table[] =>
  stored.length === 0
    ? []
    : [
        {
          columns: ['RESOURCE', 'STORED UNDER', 'OBJECTS'],
          rows: stored.flatMap(({ resource, keys }) =>
            keys.map(({ key, count }) => [resource, key, String(count)]),
          ),
        },
      ]

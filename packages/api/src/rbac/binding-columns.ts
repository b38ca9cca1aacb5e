import { ageColumn, type Column, nameColumn, textColumn } from '../machinery/columns.ts'
import type { Binding, Subject } from './binding.ts'

/** The columns of a binding: its role and, in wide output, its subjects. */
export function bindingColumns(kind: string, roleDescription: string): readonly Column<Binding>[] {
  const wide = (
    name: string,
    cell: (subjects: readonly Subject[]) => readonly string[],
  ): Column<Binding> => ({
    name,
    type: 'string',
    description: `${name} in the ${kind}`,
    priority: 1,
    cell: ({ subjects = [] }) => cell(subjects).join(', '),
  })
  const named = (wanted: string) => (subjects: readonly Subject[]) =>
    subjects.filter((each) => each.kind === wanted).map(({ name = '' }) => name)
  return [
    nameColumn,
    textColumn('Role', roleDescription, ({ roleRef = {} }) => `${roleRef.kind ?? ''}/${roleRef.name ?? ''}`),
    ageColumn,
    wide('Users', named('User')),
    wide('Groups', named('Group')),
    wide('ServiceAccounts', (subjects) =>
      subjects
        .filter(({ kind: each }) => each === 'ServiceAccount')
        .map(({ namespace = '', name = '' }) => `${namespace}/${name}`),
    ),
  ]
}

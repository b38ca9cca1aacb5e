import { customResourceDefinitions, type GroupResource, groupResourceText } from '@strata/api'
import type { Right } from '../records/migration-rights.ts'

const migrations = { group: 'storagemigration.k8s.io', resource: 'storageversionmigrations' }

/** What a migration by upstream's migrator needs beside the rights of a migration by this command. */
export function inTreeRights(resource: GroupResource): readonly Right[] {
  const { group, resource: plural } = customResourceDefinitions
  const own = { group, resource: plural, isOwn: false, name: groupResourceText(resource) }
  return [
    ...['list', 'create', 'patch', 'delete'].map((verb) => ({ ...migrations, verb, isOwn: false })),
    // Only in groups with a dot there are CRDs.
    ...(resource.group.includes('.')
      ? [
          { ...own, verb: 'get' },
          { ...own, verb: 'patch', subresource: 'status' },
        ]
      : []),
  ]
}

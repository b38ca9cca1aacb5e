// `node tools/rehearsal-schema.ts` writes docs/reference/rehearsal.schema.json; rehearsal-schema.test.ts compares the two.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rehearsalSchema } from '@strata/rehearsal/form'
import { root } from './repository.ts'

export const rehearsalSchemaFile = join(root, 'docs/reference/rehearsal.schema.json')

export const renderRehearsalSchema = (): string => `${JSON.stringify(rehearsalSchema, undefined, 2)}\n`

if (import.meta.main) writeFileSync(rehearsalSchemaFile, renderRehearsalSchema())

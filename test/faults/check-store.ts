import { join } from 'node:path'
import type { HistoryFindings } from '../history-audit/findings.ts'
import { auditCommand, StrataProcess } from '../support/serve-process.ts'
import { type Stage, writeKeys } from './stage/stage.ts'

/** Exit codes of test/history-audit: nothing wrong; nothing wrong in what could be seen, which was not all. */
const acceptable: readonly (number | null)[] = [0, 2]

/**
 * What is in the store when a run is over, asked of the bytes: was each object stored in the version, and under the key, that its
 * writer had recorded just before? History that was compacted cannot be judged any more.
 */
export async function checkStore(stage: Stage): Promise<readonly string[]> {
  const keys = join(stage.directory, 'all-keys.json')
  await writeKeys(keys, stage.keysUsed)
  const flags = ['-o', 'json', '--data-dir', stage.dataDir, '--encryption-provider-config', keys]
  const args = [...flags, ...(await stage.home.flagsFor('clients'))]
  const process = new StrataProcess('audit-history', args, auditCommand)
  stage.addProcess(process)
  const { code } = await process.ended()
  if (process.stdout === '') return [`audit-history said nothing: ${process.output.slice(-500)}`]
  const found = JSON.parse(process.stdout) as HistoryFindings
  if (acceptable.includes(code) && found.exceptions === 0) return []
  const [first] = found.exceptionList
  return [`audit-history ended with ${code}: ${found.exceptions} exceptions, e.g. ${JSON.stringify(first)}`]
}

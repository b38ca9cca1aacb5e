import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The root of the clone. */
export const root = dirname(import.meta.dirname)

/** Every file that is, or could be, committed: tracked or new, and not ignored. Relative, with slashes. */
export function listFiles(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 })
  // A file that is deleted but still tracked is listed too.
  return [...new Set(output.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)))
}

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { StrataBuild } from './serve-process.ts'

const root = join(import.meta.dirname, '../..')
/** The paths that a build needs from a commit: the sources, the example's kinds, and the tools that bundle them. */
const FOLDERS = ['packages', 'examples', 'tools', 'package.json'] as const

/** The oldest build whose stores this one opens, and beside whose servers it runs. */
export const firstSupportedCommit = '3a609452cebe2570504a759c74b1d93e23dc2bac'

/**
 * The `strata` command of an earlier commit, bundled from this clone's history by that commit's own tools.
 * It is kept in `.strata/older`, because it never changes.
 */
export function olderBuild(commit: string = firstSupportedCommit): StrataBuild {
  const home = join(root, '.strata/older', commit)
  if (!existsSync(home)) makeBuild(commit, home)
  return { command: join(home, 'strata.mjs'), lighthouse: join(home, 'lighthouse.mjs') }
}

function makeBuild(commit: string, home: string): void {
  requireCommit(commit)
  mkdirSync(join(root, '.strata/older'), { recursive: true })
  const work = mkdtempSync(join(root, '.strata/older/making-'))
  try {
    const archive = execFileSync('git', ['archive', commit, ...FOLDERS], { cwd: root, maxBuffer: 256 << 20 })
    execFileSync('tar', ['-x', '-C', work], { input: archive })
    linkModules(work)
    const out = join(work, 'built')
    const tool = join(work, 'tools/bundle-for-tests.ts')
    const script = `const { bundleForTests } = await import(process.argv[1]); await bundleForTests(process.argv[2])`
    execFileSync(process.execPath, ['--input-type=module', '-e', script, tool, out], { stdio: 'inherit' })
    // Two test processes may build at once: the first one to rename wins, and both builds are the same.
    if (!existsSync(home)) renameSync(out, home)
  } catch (error) {
    if (!existsSync(home)) throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function requireCommit(commit: string): void {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'pipe' })
  } catch (error) {
    throw new Error(
      `commit ${commit} is not in this clone, and tests run a server of it: run "git fetch --unshallow"`,
      { cause: error },
    )
  }
}

/** Dependencies are those of this clone; the workspaces are the commit's own. */
function linkModules(work: string): void {
  const modules = join(work, 'node_modules')
  mkdirSync(join(modules, '@strata'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@strata') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(work, 'packages'))) {
    symlinkSync(join(work, 'packages', name), join(modules, '@strata', name))
  }
}

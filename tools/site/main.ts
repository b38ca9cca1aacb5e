// `npm run docs`: the pages of the repository as a site of static files. `--help` says more.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../repository.ts'
import { buildSite, vitepress } from './build-site.ts'

const help = `npm run docs -- [options]

Builds the documentation as static files, with search, into dist/docs, and checks every link and section. No page asks another host
for anything. Any web server can serve the files.

  --serve        afterwards, serve them on http://localhost:4173 until Ctrl-C
  --out DIR      another folder; it is emptied first
  --base PATH    the path under which the site will be served (default: /)

Examples:
  $ npm run docs -- --serve
  $ npm run docs -- --base /strata/ --out /srv/www/strata
`

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist/docs') },
    base: { type: 'string', default: '/' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) process.stdout.write(help)
else await main()

async function main(): Promise<void> {
  const work = join(root, '.strata/site')
  const problems = await buildSite({ out: resolve(values.out), work, base: values.base })
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) {
    process.exitCode = 1
    return
  }
  process.stdout.write(`${relative('', resolve(values.out))}\n`)
  if (!values.serve) return
  const server = spawn(process.execPath, [vitepress, 'preview', work], { stdio: 'inherit' })
  await once(server, 'exit')
}

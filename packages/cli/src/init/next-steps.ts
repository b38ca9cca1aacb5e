/** How the new project gets its packages. */
export type PackagePlace =
  /** npm installs them from the archives that were named. */
  | 'archives'
  /** Node finds them in a folder above: the project is in the clone, or in a workspace that has them. */
  | 'found'
  /** Not yet in a registry. */
  | 'nowhere'

/** What a user types next. */
export function describeNextSteps(
  { directory, resource }: { readonly directory: string; readonly resource: string },
  place: PackagePlace,
): string {
  const run = ['npm test', 'npm start'].map((each) => `\n  ${each}`).join('')
  const enter = `Try next:\n  cd ${directory}`
  switch (place) {
    case 'archives':
      return `${enter}\n  npm install${run}`
    case 'found':
      return `${enter}${run}`
    case 'nowhere':
      return `The packages are in no registry yet, so "npm install" does not find them. In a clone of Strata, "npm run package" builds them.
Then write the project anew, into a new or empty directory:
  strata init kind ${resource} --packages CLONE/dist/release --dir DIRECTORY`
  }
}

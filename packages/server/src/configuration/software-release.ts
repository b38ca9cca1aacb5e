/** The name of this release. A test keeps it equal to the version of the package. */
export const softwareRelease = '0.1.0'

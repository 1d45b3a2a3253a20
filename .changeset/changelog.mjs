// What a changelog says of a changeset: its text, as one item of a list. Which packages moved along is no news, because all do.
export default {
  async getReleaseLine({ summary }) {
    const [first, ...others] = summary.split('\n').map((line) => line.trimEnd());
    return [`- ${first}`, ...others.map((line) => line && `  ${line}`)].join('\n');
  },
  async getDependencyReleaseLine() {
    return '';
  },
};

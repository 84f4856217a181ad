"""Counts the words of a text and prints the most frequent ones."""

import argparse
import time
from collections import Counter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", default="to be or not to be")
    parser.add_argument("--top", type=int, default=5)
    arguments = parser.parse_args()

    words = arguments.text.lower().split()
    print(f"{len(words)} words")
    for word, count in Counter(words).most_common(arguments.top):
        print(f"{count:4d}  {word}", flush=True)
        time.sleep(0.2)  # slow enough to watch the run


if __name__ == "__main__":
    main()

"""Programs of the chosen cases are compiled two at a time while the first tests run."""
import test_cases


def pytest_collection_finish(session):
    if session.config.option.collectonly:
        return
    for item in session.items:
        entry = getattr(item, "callspec", None) and item.callspec.params.get("entry")
        if entry and item.path.name == "test_cases.py":
            test_cases.begin(entry)

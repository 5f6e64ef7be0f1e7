import Bytes
func framed(_ text: SharedBytes) -> SharedBytes { text }
